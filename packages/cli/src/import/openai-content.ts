import { writeJson } from '@palimpsest/events';
import { objectOf, textOf } from './json-values.js';

/** Content as the API takes it, and why parts of it were left out. `undefined` = nothing there. */
export interface ReadContent {
  content: string | Record<string, unknown>[] | undefined;
  left: string[];
}

/** A text, parts, or nothing; content of any other shape becomes its JSON text. */
export function readOpenAiContent(content: unknown): ReadContent {
  if (content === null || content === undefined) return { content: undefined, left: [] };
  if (typeof content === 'string') return { content, left: [] };
  if (!Array.isArray(content)) return { content: writeJson(content), left: [] };
  const parts: Record<string, unknown>[] = [];
  const left: string[] = [];
  for (const given of content as unknown[]) {
    const part = readPart(given);
    if (typeof part === 'string') left.push(part);
    else if (part !== undefined) parts.push(part);
  }
  return { content: simplest(parts), left };
}

/** Parts that are one text are that text; none are nothing. */
export function simplest(parts: Record<string, unknown>[]): ReadContent['content'] {
  if (parts.length === 0) return undefined;
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? String(only.text) : parts;
}

/** Of the API's `image.url`. */
const URL_LENGTH = 8192;

/** An image of a data URL as MIME type and Base64, any other URL as it is; a text says why it cannot be kept. */
function imageOfUrl(url: string): Record<string, unknown> | string {
  const comma = url.indexOf(',');
  const head = url.slice(0, comma === -1 ? 0 : comma).toLowerCase();
  if (!head.startsWith('data:') || !head.endsWith(';base64')) {
    return url.length > URL_LENGTH ? 'an image URL of over 8,192 characters' : { type: 'image', url };
  }
  const mime = head.slice('data:'.length).split(';')[0];
  return { type: 'image', ...(mime ? { mime } : {}), data: url.slice(comma + 1) };
}

/** The part, or undefined for an empty one, or as a text why it is left out. */
function readPart(given: unknown): Record<string, unknown> | string | undefined {
  if (typeof given === 'string') return given === '' ? undefined : { type: 'text', text: given };
  const part = objectOf(given);
  if (part === undefined) return 'a content part must be a text or an object';
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string'
        ? textPart(part.text)
        : `content part ${JSON.stringify(part.type)} without text`;
    case 'refusal':
      return textOf(part.refusal) === undefined ? undefined : { type: 'text', text: part.refusal };
    case 'image_url':
    case 'input_image': {
      const url = textOf(part.image_url) ?? textOf(objectOf(part.image_url)?.url);
      return url === undefined ? 'an image part without its URL' : imageOfUrl(url);
    }
    default:
      return `content part ${JSON.stringify(part.type ?? null)} is not kept`;
  }
}

function textPart(text: string): Record<string, unknown> | undefined {
  return text === '' ? undefined : { type: 'text', text };
}
