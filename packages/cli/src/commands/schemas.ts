import {
  type ProcessEnvironment,
  readVariables,
  REGISTRY_VARIABLES,
  registerSchemas,
} from '@palimpsest/service-host';
import { CommandError, type Output } from '../output.js';

/** `palimpsest schemas register`: this build's schemas into the registry; run at deploy time, before the services. */
export async function registerSchemasCommand(environment: ProcessEnvironment, output: Output): Promise<void> {
  const { registryUrl } = readVariables(environment, REGISTRY_VARIABLES);
  const registered = await registerSchemas(registryUrl).catch((cause: unknown) => {
    throw new CommandError(`The schemas were not all registered: ${(cause as Error).message}`, { cause });
  });
  for (const { subject, id } of registered) output.line(`${String(id).padStart(6)}  ${subject}`);
  output.value(registered);
}
