export { type ArtifactTool, artifactTools, runArtifactTool, type ToolAnswer } from './artifact-tools.js';
export {
  type Artifact,
  type ArtifactFields,
  type ArtifactLines,
  type ArtifactMatches,
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
