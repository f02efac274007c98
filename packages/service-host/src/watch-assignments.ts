import type { EventLog } from '@palimpsest/log';

export interface WatchedLog {
  log: EventLog;
  /** Partitions that were assigned to this process and whose checkpoints are not loaded yet. */
  loading(): string[];
}

/** A partition that was asked for once, failed and was then given to another process is not asked for again. */
const FORGOTTEN_AFTER_MS = 30_000;

/** The same log, which knows of each subscription what checkpoints it still waits for. */
export function watchAssignments(log: EventLog, now: () => number = () => performance.now()): WatchedLog {
  const asked = new Map<string, number>();
  const watched: EventLog = {
    createTopic: (...given) => log.createTopic(...given),
    partitions: (...given) => log.partitions(...given),
    topicId: (...given) => log.topicId(...given),
    append: (...given) => log.append(...given),
    subscribe: (options) =>
      log.subscribe({
        ...options,
        async startAt(topic, partition) {
          const place = `${options.group} ${topic}[${partition}]`;
          asked.set(place, now());
          const at = await options.startAt(topic, partition);
          asked.delete(place);
          return at;
        },
        handler: (batch) => options.handler(batch),
        onFatal: (error) => options.onFatal(error),
      }),
    read: (...given) => log.read(...given),
    bounds: (...given) => log.bounds(...given),
    truncate: (...given) => log.truncate(...given),
    close: () => log.close(),
  };
  return {
    log: watched,
    loading: () =>
      [...asked].filter(([, since]) => now() - since < FORGOTTEN_AFTER_MS).map(([place]) => place),
  };
}
