export {
  type Artifact,
  type ArtifactLines,
  type Client,
  type ClientOptions,
  type Context,
  type ContextFormat,
  type ContextOptions,
  createClient,
  type Receipt,
} from './client.js';
export type { AgentEvent, ContentPart } from './event.js';
export { PalimpsestError } from './palimpsest-error.js';
