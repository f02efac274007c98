import { deadLetterTopic, TOPICS } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { compareTopics, type FoundTopic } from './compare-topics.js';
import { declaredTopics } from './declared-topics.js';

function asDeclared(): Map<string, FoundTopic> {
  return new Map(
    declaredTopics().map((topic) => [topic.name, { ...topic, settings: { ...topic.settings } }]),
  );
}

function insync(copies?: number): (string | undefined)[] {
  return declaredTopics(copies).map((topic) => topic.settings['min.insync.replicas']);
}

describe('schemas/topics.json', () => {
  it('declares every topic of the code with its dead letters, and no other', () => {
    const topics = Object.values(TOPICS);
    const names = [...topics, ...topics.map(deadLetterTopic)];
    expect(
      declaredTopics()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(names.toSorted());
  });

  it('never compacts, keeps events for ever and dead letters for 30 days', () => {
    for (const { name, settings } of declaredTopics()) {
      expect(settings['cleanup.policy'], name).toBe('delete');
      const days = name.endsWith('.dead-letters') ? 30 : -1;
      const ms = days < 0 ? -1 : days * 24 * 3600 * 1000;
      expect(settings['retention.ms'], name).toBe(String(ms));
    }
  });

  it('gives dead letters as many partitions as their topic, so that keys stay in order', () => {
    const partitions = new Map(declaredTopics().map((topic) => [topic.name, topic.partitions]));
    for (const topic of Object.values(TOPICS)) {
      expect(partitions.get(deadLetterTopic(topic))).toBe(partitions.get(topic));
    }
  });

  it('asks of a smaller cluster what it can give', () => {
    expect(new Set(insync())).toEqual(new Set(['2']));
    expect(new Set(insync(2))).toEqual(new Set(['1']));
    expect(new Set(insync(1))).toEqual(new Set(['1']));
  });
});

describe('a cluster beside its declaration', () => {
  it('shows nothing where it is as declared', () => {
    expect(compareTopics(declaredTopics(), asDeclared())).toEqual([]);
  });

  it('shows what is missing and what differs, with what cannot be changed', () => {
    const found = asDeclared();
    found.delete(TOPICS.steps);
    const messages = found.get(TOPICS.messages) as FoundTopic;
    const settings = { ...messages.settings, 'retention.ms': '604800000' };
    found.set(TOPICS.messages, { ...messages, partitions: 12, replication: 1, settings });
    const differences = compareTopics(declaredTopics(), found);
    expect(differences.map(({ topic, kind }) => `${topic} ${kind}`)).toEqual([
      `${TOPICS.messages} partitions`,
      `${TOPICS.messages} replication`,
      `${TOPICS.messages} settings`,
      `${TOPICS.steps} missing`,
    ]);
    expect(differences[0]?.says).toContain('cannot be changed');
    expect(differences[2]?.says).toBe('retention.ms is 604800000, declared is -1');
  });
});
