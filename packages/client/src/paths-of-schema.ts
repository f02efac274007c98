/** As many paths as one request may ask for. */
const MOST = 20;
const DEEPEST = 8;

/**
 * The JSON paths of the fields that a JSON Schema describes: its properties down to those without properties of their
 * own, items of arrays as `[*]`. At most 20; empty for what describes no fields. References are not followed.
 * @example pathsOfSchema({ properties: { orders: { items: { properties: { id: {} } } } } }) // ['$.orders[*].id']
 */
export function pathsOfSchema(schema: unknown): string[] {
  const paths: string[] = [];
  walk(schema, '$', 0, paths);
  return paths.filter((path) => path !== '$').slice(0, MOST);
}

function walk(schema: unknown, path: string, depth: number, paths: string[]): void {
  if (paths.length > MOST) return;
  const { properties, items } = (typeof schema === 'object' && schema !== null ? schema : {}) as {
    properties?: unknown;
    items?: unknown;
  };
  if (depth < DEEPEST && typeof properties === 'object' && properties !== null) {
    for (const [name, inside] of Object.entries(properties)) {
      walk(inside, `${path}[${JSON.stringify(name)}]`, depth + 1, paths);
    }
  } else if (depth < DEEPEST && typeof items === 'object' && items !== null) {
    walk(items, `${path}[*]`, depth + 1, paths);
  } else {
    paths.push(path);
  }
}
