import { samples as binary } from './binary/samples.js';
import { samples as code } from './code/samples.js';
import { samples as diff } from './diff/samples.js';
import { samples as html } from './html/samples.js';
import { samples as json } from './json/samples.js';
import { samples as log } from './log/samples.js';
import { samples as markdown } from './markdown/samples.js';
import type { ContentType } from './rules.js';
import type { Samples } from './samples.js';
import { samples as stackTrace } from './stack-trace/samples.js';
import { samples as table } from './table/samples.js';
import { samples as text } from './text/samples.js';
import { samples as xml } from './xml/samples.js';

/** Complete by its type: a content type without samples does not compile. For tests only. */
export const samplesByType: Readonly<Record<ContentType, Samples>> = {
  binary,
  code,
  diff,
  html,
  json,
  log,
  markdown,
  'stack-trace': stackTrace,
  table,
  text,
  xml,
};
