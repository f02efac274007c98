import type pg from 'pg';
import type { ObjectStore } from './object-store/object-store.js';

/** The full text of what a view shows cut. */
export interface Original {
  id: string;
  conversationId: string;
  mime: string;
  text: string;
}

export interface OriginalRequest {
  generation: number;
  tenant: string;
  /** An artifact id, or the event id of a message. */
  id: string;
  /** Where the caller knows it: finds also messages that reached the log without passing our API. */
  conversation?: string | undefined;
}

interface ArtifactColumns {
  conversation_id: string;
  mime: string;
  content: string | null;
  object_key: string | null;
  size_bytes: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The original behind an id, of this tenant only; null where there is none. An artifact id gives the artifact; the
 * event id of a message gives its artifact where it was cut, else the text it still is.
 */
export async function findOriginal(
  pool: pg.Pool,
  request: OriginalRequest,
  objects: ObjectStore | null = null,
): Promise<Original | null> {
  const artifact = await findArtifact(pool, request, request.id, objects);
  if (artifact !== null || !UUID.test(request.id)) return artifact;
  const { rows } = await pool.query<{ conversation_id: string; entry: string }>({
    name: 'find-message',
    text: `select conversation_id, entry from palimpsest.messages
            where generation = $1 and tenant = $2 and event_id = $3 and conversation_id = coalesce($4,
              (select conversation_id from palimpsest.accepted_events where tenant = $2 and event_id = $3))`,
    values: [request.generation, request.tenant, request.id, request.conversation ?? null],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const entry = JSON.parse(row.entry) as { text?: unknown; artifact?: unknown; parts?: unknown };
  const conversation = row.conversation_id;
  if (typeof entry.artifact === 'string') {
    return findArtifact(pool, { ...request, conversation }, entry.artifact, objects);
  }
  return { id: request.id, conversationId: conversation, mime: 'text/plain', text: textOf(entry, row.entry) };
}

async function findArtifact(
  pool: pg.Pool,
  request: OriginalRequest,
  artifactId: string,
  objects: ObjectStore | null,
): Promise<Original | null> {
  const { rows } = await pool.query<ArtifactColumns>({
    name: 'find-artifact',
    text: `select conversation_id, mime, content, object_key, size_bytes from palimpsest.artifacts
            where generation = $1 and tenant = $2 and artifact_id = $3
              and ($4::text is null or conversation_id = $4)
            order by conversation_id limit 1`,
    values: [request.generation, request.tenant, artifactId, request.conversation ?? null],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const text = row.content ?? (await fetchObject(artifactId, row, objects));
  return { id: artifactId, conversationId: row.conversation_id, mime: row.mime, text };
}

async function fetchObject(
  artifactId: string,
  { object_key, size_bytes }: ArtifactColumns,
  objects: ObjectStore | null,
): Promise<string> {
  if (objects === null || object_key === null) {
    throw new Error(
      `Artifact ${artifactId} lies in an object store, and this process was given none. Give it the one that the truncator writes to.`,
    );
  }
  const bytes = await objects.get(object_key);
  if (bytes === null || bytes.length !== size_bytes) {
    const found = bytes === null ? 'is not there' : `has ${bytes.length} bytes in place of ${size_bytes}`;
    throw new Error(
      `Artifact ${artifactId}: object ${object_key} ${found} (${objects.place}). Restore it, or rebuild the views from the log.`,
    );
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Text of an entry that was not cut: its texts where it has parts; of a control event its body. */
function textOf(entry: { text?: unknown; parts?: unknown }, json: string): string {
  if (Array.isArray(entry.parts)) {
    const texts = entry.parts
      .map((part: { text?: unknown }) => part.text)
      .filter((text) => typeof text === 'string');
    return texts.join('\n');
  }
  return typeof entry.text === 'string' ? entry.text : json;
}
