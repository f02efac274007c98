import type { Command } from 'commander';
import { command, type CommonOptions, run } from '../command.js';

/** `palimpsest keys create | list | revoke`. */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('API keys of the embedded stack, or of the deployment at PALIMPSEST_POSTGRES_URL');
  command(keys, 'create', 'make a key and print its secret, this once')
    .requiredOption('--tenant <name>', 'whose data it opens')
    .option('--scopes <list>', 'of ingest, read, admin', 'ingest,read')
    .action((options: CommonOptions & { tenant: string; scopes: string }) =>
      run(options, async (environment, output) =>
        (await import('../commands/keys.js')).createKeyCommand(options, environment, output),
      ),
    );
  command(keys, 'list', 'all keys, without their secrets')
    .option('--tenant <name>', 'of this tenant only')
    .action((options: CommonOptions & { tenant?: string }) =>
      run(options, async (environment, output) =>
        (await import('../commands/keys.js')).listKeysCommand(options, environment, output),
      ),
    );
  command(keys, 'revoke', 'let no request in with this key any more')
    .argument('<key-id>', 'the twelve letters behind pk_')
    .action((keyId: string, options: CommonOptions) =>
      run(options, async (environment, output) =>
        (await import('../commands/keys.js')).revokeKeyCommand(keyId, environment, output),
      ),
    );
}
