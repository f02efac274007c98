/** What a GenAI span tells us, from either encoding of OTLP. */
export interface OtlpSpan {
  /** Hex. */
  traceId: string;
  spanId: string;
  startNanos: bigint;
  endNanos: bigint;
  /** Of the resource and the span; the span's win. Texts, numbers and booleans; other kinds are left out. */
  attributes: Readonly<Record<string, string | number | boolean>>;
}

/** A body that is no OTLP trace export. */
export class UnreadableSpansError extends Error {
  override name = 'UnreadableSpansError';
}

type Loose = Readonly<Record<string, unknown>>;

/** Spans of an OTLP/JSON export: ids in hex, 64-bit numbers as texts or numbers. Throws UnreadableSpansError. */
export function readJsonSpans(text: string): OtlpSpan[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableSpansError('The body is not valid JSON.', { cause });
  }
  return listOf(body, 'resourceSpans').flatMap((resourceSpans) => {
    const resource = attributesOf(listOf(resourceSpans['resource'] ?? {}, 'attributes'));
    return listOf(resourceSpans, 'scopeSpans')
      .flatMap((scope) => listOf(scope, 'spans'))
      .map((span) => ({
        traceId: hexOf(span, 'traceId', 32),
        spanId: hexOf(span, 'spanId', 16),
        startNanos: nanosOf(span, 'startTimeUnixNano'),
        endNanos: nanosOf(span, 'endTimeUnixNano'),
        attributes: { ...resource, ...attributesOf(listOf(span, 'attributes')) },
      }));
  });
}

function listOf(value: unknown, name: string): Loose[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnreadableSpansError(`What should hold ${name} is no object.`);
  }
  const list = (value as Loose)[name] ?? [];
  if (!Array.isArray(list) || list.some((one) => typeof one !== 'object' || one === null)) {
    throw new UnreadableSpansError(`${name} is no list of objects.`);
  }
  return list as Loose[];
}

function hexOf(span: Loose, name: string, digits: number): string {
  const value = span[name];
  if (typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/i.test(value))
    return value.toLowerCase();
  throw new UnreadableSpansError(`${name} of a span is not ${digits} hexadecimal digits.`);
}

function nanosOf(span: Loose, name: string): bigint {
  const value = span[name] ?? 0;
  if ((typeof value === 'string' || typeof value === 'number') && /^\d{1,20}$/.test(String(value)))
    return BigInt(value);
  throw new UnreadableSpansError(`${name} of a span is no number of nanoseconds.`);
}

function attributesOf(list: readonly Loose[]): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = Object.create(null) as Record<string, never>;
  for (const { key, value } of list) {
    if (typeof key !== 'string' || typeof value !== 'object' || value === null) continue;
    const { stringValue, intValue, doubleValue, boolValue } = value as Loose;
    if (typeof stringValue === 'string') attributes[key] = stringValue;
    else if (typeof intValue === 'string' || typeof intValue === 'number') attributes[key] = Number(intValue);
    else if (typeof doubleValue === 'number') attributes[key] = doubleValue;
    else if (typeof boolValue === 'boolean') attributes[key] = boolValue;
  }
  return attributes;
}
