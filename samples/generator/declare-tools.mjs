// The schema of a tool as the sessions use it: property types are read off the calls in the source.

/** `tools_declared` entries for the header's tools; a property that every call gives is required. */
export function declaredTools(tools, turns) {
  return tools.map(({ name, phases, summary }) => {
    const calls = turns
      .filter((turn) => turn.kind === 'call' && turn.words[0] === name && !turn.raw)
      .map((turn) => JSON.parse(turn.text));
    const properties = {};
    for (const call of calls) {
      for (const [key, value] of Object.entries(call)) properties[key] ??= typeOf(value);
    }
    const required = Object.keys(properties).filter((key) => calls.every((call) => key in call));
    const schema = { type: 'object', properties, required, additionalProperties: false };
    return { name, summary, schema, ...(phases.length > 0 && { phases }) };
  });
}

function typeOf(value) {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? typeOf(value[0]) : {} };
  if (value !== null && typeof value === 'object') return { type: 'object' };
  return { type: Number.isInteger(value) ? 'integer' : typeof value };
}
