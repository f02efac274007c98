import { derivationLimits, languageModel, MODEL_VARIABLES, readVariables } from '@palimpsest/service-host';
import { deploymentEnvironment, type Environment } from '../environment.js';

/** The model a command or the embedded stack asks, and its limits; docs/configuration.md has the variables. */
export function modelOf({ model }: Environment): ReturnType<typeof derivationLimits> & {
  model: ReturnType<typeof languageModel>;
} {
  const settings = {
    ...readVariables(deploymentEnvironment(), MODEL_VARIABLES),
    modelUrl: model?.url ?? null,
    model: model?.model ?? null,
    modelKey: model?.key ?? null,
  };
  return { ...derivationLimits(settings), model: languageModel(settings) };
}
