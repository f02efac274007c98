import type { ChatEvent } from '@palimpsest/events';
import { keyOf } from '@palimpsest/events';
import type { RunningConnect } from '../deploy/kafka-dev/connect.mjs';
import { appendAll, type KafkaStage, PARTITIONS, startConnect } from './throughput-kafka-stage.js';

const FLAT_TOPIC = 'bench.flat';
const TASKS = 3;
const BATCH = 2000;
const COLUMNS = ['tenant', 'conversation_id', 'event_id', 'kind', 'body', 'occurred_at'] as const;

/**
 * The same events once more, as a user of Connect would have them: flat JSON, its schema in the sink's configuration.
 * (Avro would need a converter that is not on Maven Central; JSON of these fields is read no slower by Connect.)
 */
export async function fillFlatTopic({ log }: KafkaStage, events: readonly ChatEvent[]): Promise<void> {
  await log.createTopic(FLAT_TOPIC, PARTITIONS);
  const records = events.map((event) => ({
    key: keyOf(event),
    value: Buffer.from(JSON.stringify(flat(event))),
  }));
  await appendAll(log, FLAT_TOPIC, records);
}

function flat(event: ChatEvent): Record<(typeof COLUMNS)[number], string | number> {
  const { tenant, conversation_id, event_id, type: kind, occurred_at } = event;
  const text = 'content' in event ? event.content[0]?.text : undefined;
  const body = event.type === 'tool_call' ? event.arguments : (text ?? '');
  return { tenant, conversation_id, event_id, kind, body, occurred_at };
}

/**
 * Debezium's JDBC sink with three tasks and batches of 2,000. `tuned` turns its UNNEST inserts on, which are off by
 * default and newer than most guides.
 */
export async function startSink(
  { cluster, store }: KafkaStage,
  table: string,
  tuned: boolean,
): Promise<RunningConnect> {
  await store.pool.query(`create sequence ${table}_rows`);
  await store.pool.query(
    `create table ${table} (tenant text not null, conversation_id text not null, event_id text not null,
       kind text not null, body text not null, occurred_at bigint not null,
       row_number bigint not null default nextval('${table}_rows'),
       primary key (tenant, conversation_id, event_id))`,
  );
  const { host, port, database, user, password } = await connectionOf(store.pool.options.connectionString);
  return startConnect({
    bootstrap: cluster.bootstrap,
    worker: {
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'true',
      'value.converter.schema.content': JSON.stringify(schema()),
      'consumer.max.poll.records': String(BATCH),
      'consumer.max.partition.fetch.bytes': '4000000',
      'consumer.auto.offset.reset': 'earliest',
    },
    connector: {
      name: table.replaceAll('_', '-'),
      'connector.class': 'io.debezium.connector.jdbc.JdbcSinkConnector',
      'tasks.max': String(TASKS),
      topics: FLAT_TOPIC,
      'connection.url': `jdbc:postgresql://${host}:${port}/${database}?reWriteBatchedInserts=true`,
      'connection.username': user,
      'connection.password': password,
      'collection.name.format': table,
      'schema.evolution': 'none',
      // A record may come twice: what is inserted twice would fail, or be there twice.
      'insert.mode': 'upsert',
      'primary.key.mode': 'record_value',
      'primary.key.fields': 'tenant,conversation_id,event_id',
      'batch.size': String(BATCH),
      'dialect.postgres.unnest.insert.enabled': String(tuned),
    },
  });
}

function schema(): object {
  const fields = COLUMNS.map((field) => ({
    field,
    type: field === 'occurred_at' ? 'int64' : 'string',
    optional: false,
  }));
  return { type: 'struct', optional: false, name: 'flat', fields };
}

async function connectionOf(text: string | undefined) {
  const url = new URL(text ?? '');
  return {
    host: url.hostname,
    port: url.port,
    database: url.pathname.slice(1),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
