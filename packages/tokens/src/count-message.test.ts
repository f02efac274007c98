import { describe, expect, it } from 'vitest';
import {
  countMessage,
  IMAGE_TOKENS,
  MESSAGE_OVERHEAD_TOKENS,
  TOOL_CALL_OVERHEAD_TOKENS,
} from './count-message.js';
import { tokenCounter } from './token-counter.js';

const counter = tokenCounter();

describe('a message counts with all that is sent of it', () => {
  it('has its overhead even when empty', () => {
    expect(countMessage(counter, { text: '' })).toBe(MESSAGE_OVERHEAD_TOKENS);
  });

  it('counts names and arguments of tool calls', () => {
    const args = '{"id":55}';
    expect(
      countMessage(counter, {
        text: '',
        toolCalls: [
          { name: 'get_order', arguments: args },
          { name: 'ping', arguments: '' },
        ],
      }),
    ).toBe(
      MESSAGE_OVERHEAD_TOKENS +
        2 * TOOL_CALL_OVERHEAD_TOKENS +
        counter.count('get_order') +
        counter.count(args) +
        counter.count('ping'),
    );
  });

  it('counts the ids of calls and results where they are given', () => {
    const bare = countMessage(counter, { text: 'packed' });
    expect(countMessage(counter, { text: 'packed', toolCallId: 'call_9Zk2' }) - bare).toBe(
      counter.count('call_9Zk2'),
    );
    expect(countMessage(counter, { text: 'packed', toolCallId: null })).toBe(bare);
    const call = { name: 'f', arguments: '{}' };
    expect(
      countMessage(counter, { text: '', toolCalls: [{ ...call, id: 'call_9Zk2' }] }) -
        countMessage(counter, { text: '', toolCalls: [call] }),
    ).toBe(counter.count('call_9Zk2'));
  });

  it('counts images at their flat price', () => {
    expect(countMessage(counter, { text: '', images: 2 })).toBe(MESSAGE_OVERHEAD_TOKENS + 2 * IMAGE_TOKENS);
  });

  it('takes special-token literals in arguments as ordinary text', () => {
    expect(
      countMessage(counter, { text: '', toolCalls: [{ name: 'f', arguments: '{"q":"<|im_end|>"}' }] }),
    ).toBeGreaterThan(10);
  });
});
