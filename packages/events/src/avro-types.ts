import avro from 'avsc';
import { longType } from './long-type.js';

// avsc has no public seam below a whole value: what its types read and write is overridden here, and only here.
// oxlint-disable no-underscore-dangle

/** avsc's cursor over a value; reading past the end gives zeros and is noticed when the whole value was read. */
interface Tap {
  buf: Buffer;
  pos: number;
  readLong(): number;
  writeString(text: string): void;
}
interface Skips {
  _skip(tap: Tap): void;
}
interface Reads extends Skips {
  _read(tap: Tap): unknown;
}

/**
 * Writes valid UTF-8: a lone surrogate becomes U+FFFD. avsc itself writes its three bytes into short texts, which no
 * other reader takes and which come back as three characters.
 */
class TextType extends avro.types.StringType {
  _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'string') throw new Error(`not a text: ${String(value)}`);
    tap.writeString(value.isWellFormed() ? value : value.toWellFormed());
  }
}

/** An array that cannot claim more items than there are bytes left: avsc would allocate and loop for 2^53 of them. */
class BoundedArrayType extends avro.types.ArrayType {
  _read(this: { itemsType: Reads }, tap: Tap): unknown[] {
    const items: unknown[] = [];
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) items.push(this.itemsType._read(tap));
    }
    return items;
  }
  _skip(this: { itemsType: Skips }, tap: Tap): void {
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) this.itemsType._skip(tap);
    }
  }
}

/** No schema of ours has a map, but a producer's may, in a field that is passed over. */
class BoundedMapType extends avro.types.MapType {
  _skip(this: { valuesType: Skips }, tap: Tap): void {
    for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
      for (let left = count; left > 0; left -= 1) {
        skipText(tap);
        this.valuesType._skip(tap);
      }
    }
  }
}

/** Items of the next block, 0 at the end. A negative count is followed by the block's size, which is not needed. */
function blockCount(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.readLong();
  }
  // an item of our schemas takes at least one byte
  const left = tap.buf.length - tap.pos;
  if (count > left) throw new Error(`a block of ${count} items in ${Math.max(left, 0)} bytes`);
  return count;
}

function skipText(tap: Tap): void {
  const length = tap.readLong();
  if (length < 0) throw new Error(`a text of ${length} bytes`);
  tap.pos += length;
}

/** A schema text as avsc's type, with our own long, text and arrays. Throws where it is no Avro schema. */
export function parseSchema(text: string): avro.Type {
  return avro.Type.forSchema(
    JSON.parse(text) as avro.Schema,
    {
      // made anew each time: avsc puts the names a schema defines into it
      registry: { long: longType, string: textType },
      wrapUnions: 'never',
      omitRecordMethods: true,
      typeHook: (schema: avro.Schema, options: unknown) => {
        const kind = (schema as { type?: unknown }).type;
        if (kind === 'array') return new BoundedArrayType(schema, options);
        if (kind === 'map') return new BoundedMapType(schema, options);
        return undefined;
      },
    } as Partial<avro.ForSchemaOptions>,
  );
}

const textType = new TextType();
