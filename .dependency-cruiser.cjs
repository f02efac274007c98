// Reads the built JavaScript (TypeScript 7 offers no parser to it); imports of types are held by knip's unlisted-dependency check.
/** Imports point one way: services -> packages; packages -> ports; strategy and events know only tokens. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(packages|services)/', pathNot: [from, ...allowed] },
});
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('events-stand-alone', '^packages/events/', [], 'events import nothing of ours'),
    only('tokens-stand-alone', '^packages/tokens/', [], 'tokens import nothing of ours'),
    only(
      'strategy-is-pure',
      '^packages/strategy/',
      ['^packages/tokens/'],
      'strategy decides; it has no I/O and knows only tokens',
    ),
    only('port-log-stands-alone', '^packages/log/', [], 'a port knows no implementation'),
    {
      name: 'strategy-has-no-io',
      severity: 'error',
      from: { path: '^packages/strategy/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'packages-know-no-service',
      comment: 'only the command line composes services, for the embedded stack',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/cli/' },
      to: { path: '^services/' },
    },
    {
      name: 'services-know-no-service',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'nobody-imports-the-cli',
      severity: 'error',
      from: { pathNot: '^packages/cli/' },
      to: { path: '^packages/cli/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^(packages|services)/[^/]+/dist/',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
