import type { Ledger } from '@palimpsest/ledger';
import type { Logger } from '@palimpsest/observability';

/** Answers stay exact between refreshes; this is about how many tasks a query has to add up anew. */
const EVERY_MS = 60_000;

/**
 * Refreshes the rollup every minute until `stop`, which waits for one that runs. A failure is logged and tried again
 * the next time: while the ledger is away, blocks wait as well.
 */
export function keepRollupFresh(
  ledger: Pick<Ledger, 'refreshRollup'>,
  logger: Logger,
  everyMs: number = EVERY_MS,
): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const refresh = async (): Promise<void> => {
    try {
      const { units } = await ledger.refreshRollup();
      if (units > 0) logger.debug({ units }, 'the rollup of costs was refreshed');
    } catch (err) {
      logger.warn({ err }, 'the rollup of costs was not refreshed');
    }
  };
  const timer = setInterval(() => {
    running ??= refresh().finally(() => {
      running = null;
    });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
