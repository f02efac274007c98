import { createHash } from 'node:crypto';

/** Tables whose rows belong to a tenant. A new one must be added here; a test compares with the schema. */
export const TENANT_TABLES = [
  'audit_step_rows',
  'audit_task_rows',
  'reprice_rows',
  'rollup_deltas',
  'rollup_units',
  'step_rows',
  'task_rows',
  'touched_rows',
] as const;

/**
 * What a reading connection says about itself, in a setting (`log_comment`: any text, no other use here):
 * `<signature>:all` or `<signature>:tenant:<hex>`. A connection that says nothing, or something not signed with the
 * engine's secret, sees no tenant's row: `readonly` guards a query's own SETTINGS, but not those of a subquery.
 */
export function scopeMark(tenant: string | null, secret: string): string {
  const scope = tenant === null ? 'all' : `tenant:${Buffer.from(tenant).toString('hex')}`;
  // The secret comes last, so that no signature can be stretched to a longer scope.
  return `${createHash('sha256').update(`${scope}:${secret}`).digest('hex')}:${scope}`;
}

/** Constant but for `tenant`, so the engine folds it to `tenant = '…'` and uses the primary key. */
function policy(secret: string): string {
  const mark = "getSetting('log_comment')";
  const scope = `substring(${mark}, 66)`;
  return (
    `substring(${mark}, 1, 65) = concat(lower(hex(SHA256(concat(${scope}, ':${secret}')))), ':') and ` +
    `(${scope} = 'all' or (startsWith(${scope}, 'tenant:') and tenant = unhex(substring(${scope}, 8))))`
  );
}

export interface EngineConfig {
  /** Where the file itself lies. */
  path: string;
  database: string;
  /** Hexadecimal digits, new for each start. */
  secret: string;
}

/**
 * Configuration of the engine in process: one user, with a row policy on each tenant table. Policies and not filters
 * of a query: the engine evaluates a policy before anything the query asks for, so neither an error message
 * (`where toUInt8(conversation)`) nor a count can tell of a row that is not the caller's.
 */
export function engineConfig(config: EngineConfig): string {
  const filter = xml(policy(config.secret));
  const tables = TENANT_TABLES.map((table) => `<${table}><filter>${filter}</filter></${table}>`).join('');
  return `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users><default>
    <password></password>
    <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <databases><${config.database}>${tables}</${config.database}></databases>
  </default></users>
  <user_directories><users_xml><path>${xml(config.path)}</path></users_xml></user_directories>
</clickhouse>
`;
}

function xml(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
