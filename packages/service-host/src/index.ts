export { type DeploymentStore, openDeploymentStore } from './deployment-store.js';
export { appendEvents } from './append-events.js';
export {
  type FollowedGeneration,
  type FollowedGenerations,
  followGenerations,
  type GenerationWork,
} from './follow-generations.js';
export { type HostOptions, hostService, type ServiceParts, type StartedService } from './host-service.js';
export { remoteLedger } from './ledger-endpoint/remote-ledger.js';
export { type LedgerEndpoint, serveLedger } from './ledger-endpoint/serve-ledger.js';
export { type ConsumerLag, measureLags } from './measure-lags.js';
export { type RegisteredSubject, registerSchemas } from './register-schemas.js';
export { MODEL_VARIABLES } from './settings/model-variables.js';
export { runService } from './run-service.js';
export { clickhouseServer } from './settings/clickhouse-server.js';
export type { KafkaSettings } from './settings/kafka-connection.js';
export { derivationLimits, languageModel } from './settings/language-model.js';
export {
  type ProcessEnvironment,
  readVariables,
  SettingsError,
  type SettingsOf,
} from './settings/read-variables.js';
export {
  API_VARIABLES,
  BATCH_VARIABLES,
  CLICKHOUSE_VARIABLES,
  EMBEDDED_LEDGER_VARIABLES,
  KAFKA_VARIABLES,
  OBJECT_VARIABLES,
  REGISTRY_VARIABLES,
} from './settings/variables.js';
export type { TopicDifference } from './topics/compare-topics.js';
export { type DeclaredTopic, declaredTopics } from './topics/declared-topics.js';
export { type AppliedTopics, applyTopics, checkTopics } from './topics/kafka-topics.js';
export { installationRoot } from './installation.js';
export { openCodec } from './open-codec.js';
export { strategyNamed } from './strategy-named.js';
