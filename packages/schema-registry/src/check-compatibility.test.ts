import { EVENT_TYPES, schemaText } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { parseAvroSchema } from './avro-schema.js';
import { checkCompatibility, COMPATIBILITY_LEVELS, type CompatibilityLevel } from './check-compatibility.js';

const record = (...fields: object[]) => ({ type: 'record', name: 'x.T', fields });
const field = (type: unknown, more: object = {}) => record({ name: 'a', type, ...more });
const symbols = (list: string[], more: object = {}) => ({ type: 'enum', name: 'E', symbols: list, ...more });
const node = (type: string) => record({ name: 'next', type: ['null', 'x.T'] }, { name: 'v', type });

function check(level: CompatibilityLevel, next: unknown, ...before: unknown[]): boolean {
  const versions = before.map((schema, index) => ({
    id: index + 1,
    version: index + 1,
    schema: JSON.stringify(schema),
  }));
  return checkCompatibility(parseAvroSchema(JSON.stringify(next)), versions, level).ok;
}

describe('compatibility by Avro resolution', () => {
  it.each([
    ['int is read as long', field('long'), field('int'), true],
    ['long is not read as int', field('int'), field('long'), false],
    ['float is read as double', field('double'), field('float'), true],
    ['text is read as bytes', field('bytes'), field('string'), true],
    ['text is not read as int', field('int'), field('string'), false],
    ['a missing field has a default', field('int', { default: 0 }), record(), true],
    ['a missing field has no default', field('int'), record(), false],
    ['a field that is gone is passed over', record(), field('int'), true],
    [
      'a renamed field has the old name as alias',
      record({ name: 'b', type: 'int', aliases: ['a'] }),
      field('int'),
      true,
    ],
    ['a renamed record has no alias', { ...record(), name: 'x.U' }, record(), false],
    [
      'a renamed record has the old name as alias',
      { ...record(), name: 'x.U', aliases: ['x.T'] },
      record(),
      true,
    ],
    ['an enum lacks a symbol, with a default', symbols(['A'], { default: 'A' }), symbols(['A', 'B']), true],
    ['an enum lacks a symbol, without a default', symbols(['A']), symbols(['A', 'B']), false],
    ['an enum has more symbols', symbols(['A', 'B']), symbols(['A']), true],
    ['a union has the branch', field(['null', 'int']), field('int'), true],
    ['a union lacks a branch', field(['null', 'int']), field(['null', 'string']), false],
    ['a union of int and long reads either', field(['int', 'long']), field('int'), true],
    ['one type reads a union that fits', field('long'), field(['int', 'long']), true],
    ['one type does not read a union with null', field('int'), field(['null', 'int']), false],
    [
      'a fixed of another size',
      { type: 'fixed', name: 'F', size: 4 },
      { type: 'fixed', name: 'F', size: 5 },
      false,
    ],
    [
      'items and values are promoted',
      field({ type: 'map', values: 'long' }),
      field({ type: 'map', values: 'int' }),
      true,
    ],
    [
      'values are not cut',
      field({ type: 'map', values: 'int' }),
      field({ type: 'map', values: 'long' }),
      false,
    ],
    ['a recursive record is followed', node('long'), node('int'), true],
    ['a recursive record is followed to its fault', node('int'), node('string'), false],
  ])('%s', (_what, reader, writer, readable) => {
    expect(check('BACKWARD', reader, writer)).toBe(readable);
    expect(check('FORWARD', writer, reader)).toBe(readable);
  });

  it('asks for both directions under FULL', () => {
    expect(check('FULL', field('long'), field('int'))).toBe(false);
    expect(check('FULL', field('int', { default: 0 }), record())).toBe(true);
  });

  it('asks the latest version only, unless transitive', () => {
    const [first, second, next] = [field('string', { default: '' }), record(), field('int', { default: 0 })];
    for (const level of COMPATIBILITY_LEVELS) {
      expect([level, check(level, next, first, second)]).toEqual([level, !level.endsWith('_TRANSITIVE')]);
    }
  });

  it('asks nothing under NONE or of a first version', () => {
    expect(check('NONE', field('int'), field('string'))).toBe(true);
    expect(check('FULL_TRANSITIVE', field('int'))).toBe(true);
  });

  it('says which version and which direction', () => {
    const versions = [{ id: 1, version: 7, schema: JSON.stringify(record()) }];
    const { messages } = checkCompatibility(
      parseAvroSchema(JSON.stringify(field('int'))),
      versions,
      'FULL_TRANSITIVE',
    );
    expect(messages).toEqual([expect.stringMatching(/^the new schema cannot read version 7: .*x\.T\.a/)]);
  });

  it('takes every schema of ours', () => {
    for (const type of EVENT_TYPES) expect(() => parseAvroSchema(schemaText(type))).not.toThrow();
  });
});
