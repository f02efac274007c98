// What a provider would have reported for a step, estimated: the samples were never sent to a model.
// Characters per token: about 4.4 for Latin prose, 3.3 for JSON and markup, 3.1 for Cyrillic (o200k).

const OVERHEAD_PER_ITEM = 6;
const CACHE_LIFETIME_MS = 5 * 60_000;
const CACHE_MINIMUM = 1024;
const OPENAI_CACHE_STEP = 128;
const WINDOW = 12;

export function estimateTokens(text) {
  const cyrillic = (text.match(/[\u0400-\u04ff]/g) ?? []).length;
  const marks = (text.match(/[{}[\]"<>:=_/\\0-9]/g) ?? []).length;
  const perToken = marks > text.length / 8 ? 3.3 : 4.4;
  return Math.ceil(cyrillic / 3.1 + (text.length - cyrillic) / perToken);
}

const cost = (list, cap) =>
  list.reduce((sum, item) => sum + Math.min(item.tokens, item.isResult ? cap : Infinity), 0);

/** Follows one conversation's context as a strategy would build it, and says how each call was billed. */
export function contextMeter(fixedTokens) {
  const items = [];
  let folded = 0;
  let previous = { total: 0, folded: 0, at: 0, strategy: '' };

  const view = (strategy) => {
    if (strategy === 'full-history') return { total: fixedTokens + cost(items, Infinity), head: fixedTokens };
    const pinned = cost(items.slice(0, 3), Infinity);
    if (strategy.startsWith('sliding-window')) {
      folded = Math.max(3, items.length - WINDOW);
      return { total: fixedTokens + pinned + cost(items.slice(folded), Infinity), head: fixedTokens + pinned };
    }
    if (items.length - folded > 30) folded = items.length - 15;
    const summary = folded > 3 ? Math.min(900, 200 + Math.ceil(cost(items.slice(3, folded), 900) * 0.08)) : 0;
    const rest = cost(items.slice(Math.max(3, folded)), 900);
    return { total: fixedTokens + pinned + summary + rest, head: fixedTokens + pinned };
  };

  return {
    add(text, isResult = false) {
      this.addTokens(estimateTokens(text), isResult);
    },
    addTokens(tokens, isResult = false) {
      items.push({ tokens: tokens + OVERHEAD_PER_ITEM, isResult });
    },
    /** Input side of the usage for a call made at `at` (milliseconds); the kinds are the provider's own. */
    bill(provider, strategy, at) {
      const { total, head } = view(strategy);
      const warm = at - previous.at < CACHE_LIFETIME_MS && previous.strategy === strategy;
      const grows = folded === previous.folded || strategy === 'full-history';
      const prefix = warm ? Math.min(total, grows ? previous.total : head) : 0;
      previous = { total: total < CACHE_MINIMUM ? 0 : total, folded, at, strategy };
      if (provider === 'openai') {
        const cached = prefix < CACHE_MINIMUM ? 0 : Math.floor(prefix / OPENAI_CACHE_STEP) * OPENAI_CACHE_STEP;
        return cached > 0 ? { input: total, cache_read: cached } : { input: total };
      }
      if (total < CACHE_MINIMUM) return { input: total };
      if (!grows && strategy.startsWith('sliding-window')) {
        // The window moves with every call: an agent marks only the head before it for the cache.
        return { input: total - head, cache_read: warm ? head : 0, cache_write_5m: warm ? 0 : head };
      }
      const input = Math.min(total - prefix, 4 + (total % 9));
      return { input, cache_read: prefix, cache_write_5m: total - prefix - input };
    },
  };
}
