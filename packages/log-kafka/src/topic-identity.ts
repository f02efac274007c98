import type { ClusterView } from './cluster-view.js';
import { MissingTopicError, TopicMadeAnewError } from './kafka-error.js';

/**
 * Which topics a subscription reads: the ids they had when it first saw them. An id is given once and never again, so
 * whoever sees it after an answer knows that the answer was of that topic.
 */
export class TopicIdentity {
  readonly #cluster: Pick<ClusterView, 'topicId'>;
  readonly #ids = new Map<string, string>();

  constructor(cluster: Pick<ClusterView, 'topicId'>) {
    this.#cluster = cluster;
  }

  /**
   * Throws TopicMadeAnewError where it is another topic by now, MissingTopicError where it is gone; does nothing where
   * the cluster gives no ids.
   */
  async verify(topic: string): Promise<void> {
    const id = await this.#cluster.topicId(topic);
    const known = this.#ids.get(topic);
    if (known === undefined) {
      if (id !== undefined) this.#ids.set(topic, id);
      return;
    }
    if (id === undefined) throw new MissingTopicError(topic);
    if (id !== known) throw new TopicMadeAnewError(topic);
  }
}
