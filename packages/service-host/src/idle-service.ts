import type { Logger } from '@palimpsest/observability';
import type { StartedService } from './host-service.js';

/** A service whose strategy has nothing for it to do: it lives, is ready, and waits for its end. */
export function idleService(logger: Logger, why: string): StartedService {
  logger.info({ why }, `has nothing to do: ${why}`);
  return { stop: async () => undefined, done: new Promise(() => undefined) };
}
