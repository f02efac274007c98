import { describe, inject } from 'vitest';
import { missingTool } from '../../deploy/kafka-dev/jars.mjs';

/** The addresses of the run's broker, started when first asked for. */
export async function startBroker(): Promise<string[]> {
  const response = await fetch(inject('kafkaBroker'));
  const text = await response.text();
  if (!response.ok) throw new Error(`The test broker could not be had: ${text}`);
  return JSON.parse(text) as string[];
}

/**
 * `describe` for tests on a real broker. Where none can be had they are skipped, and the run says why; with
 * REQUIRE_KAFKA=1 they fail instead.
 */
export function describeWithKafka(name: string, tests: () => void): void {
  const reason = missingTool();
  if (reason === undefined || process.env['REQUIRE_KAFKA'] === '1') return void describe(name, tests);
  console.warn(`SKIPPED, no Kafka broker: "${name}". ${reason}`);
  describe.skip(`${name} (skipped: ${reason})`, tests);
}
