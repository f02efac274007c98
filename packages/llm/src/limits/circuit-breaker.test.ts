import { describe, expect, it } from 'vitest';
import { ModelCallError, UnusableAnswerError } from '../model-errors.js';
import { createCircuitBreaker } from './circuit-breaker.js';

const down = () => Promise.reject(new ModelCallError('down', { retryable: true, status: 503 }));
const wrong = () => Promise.reject(new ModelCallError('no such model', { retryable: false, status: 404 }));
const useless = () =>
  Promise.reject(
    new UnusableAnswerError('empty', {
      reason: 'empty',
      answer: '',
      stopReason: 'stop',
      usage: null,
      model: 'm',
    }),
  );
const stopped = () => Promise.reject(new Error('the service is stopping'));
const works = () => Promise.resolve('answer');

function breaker() {
  let time = 0;
  const circuit = createCircuitBreaker({ failures: 2, cooldownMs: 1000, now: () => time });
  return {
    circuit,
    pass: (ms: number) => void (time += ms),
    fail: () => circuit.run(down).catch(() => undefined),
  };
}

describe('the circuit breaker', () => {
  it('opens after failures in a row, and then sends nothing until the cooldown is over', async () => {
    const { circuit, fail, pass } = breaker();
    await fail();
    expect(circuit.state).toBe('closed');
    await fail();
    let sent = 0;
    const call = () => circuit.run(() => Promise.resolve((sent += 1)));
    await expect(call()).rejects.toMatchObject({ held: true, retryable: true, retryAfterMs: 1000 });
    pass(1000);
    expect(await call()).toBe(1);
    expect(circuit.state).toBe('closed');
  });

  it('lets one call through when half open, and stays away twice as long when that fails', async () => {
    const { circuit, fail, pass } = breaker();
    await fail();
    await fail();
    pass(1000);
    const answer: { give?: () => void } = {};
    const probe = circuit.run(
      () =>
        new Promise<string>((resolve) => {
          answer.give = () => resolve('up');
        }),
    );
    await expect(circuit.run(works)).rejects.toMatchObject({ held: true });
    answer.give?.();
    expect(await probe).toBe('up');
    await fail();
    await fail();
    pass(1000);
    await fail();
    await expect(circuit.run(works)).rejects.toMatchObject({ retryAfterMs: 2000 });
  });

  it('stays closed for bad requests, bad answers and calls that were given up', async () => {
    const { circuit } = breaker();
    for (const call of [wrong, wrong, useless, useless, stopped, stopped])
      await circuit.run(call).catch(() => undefined);
    expect(circuit.state).toBe('closed');
  });

  it('waits as long as the provider asks', async () => {
    const { circuit, fail } = breaker();
    await fail();
    const limited = new ModelCallError('limited', { retryable: true, status: 429, retryAfterMs: 9000 });
    await circuit.run(() => Promise.reject(limited)).catch(() => undefined);
    await expect(circuit.run(works)).rejects.toMatchObject({ retryAfterMs: 9000 });
  });
});
