import type { SettingsOf } from './read-variables.js';
import type { CLICKHOUSE_VARIABLES } from './variables.js';

export interface ClickHouseServer {
  url: string;
  username: string;
  password: string;
  database: string;
}

/** The ClickHouse server of the settings; null where none is named. */
export function clickhouseServer(settings: SettingsOf<typeof CLICKHOUSE_VARIABLES>): ClickHouseServer | null {
  const {
    clickhouseUrl: url,
    clickhouseUser: username,
    clickhousePassword: password,
    clickhouseDatabase: database,
  } = settings;
  return url === null ? null : { url, username, password, database };
}
