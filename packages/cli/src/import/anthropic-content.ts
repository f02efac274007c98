import { writeJson } from '@palimpsest/events';
import { objectOf, textOf } from './json-values.js';

type Block = Record<string, unknown>;

/** A message's blocks by what becomes of them. `left` says why blocks were left out. */
export interface AnthropicContent {
  /** In the API's shape. */
  parts: Block[];
  /** `tool_use` blocks as given. */
  calls: Block[];
  /** `tool_result` blocks as given. */
  results: Block[];
  left: string[];
}

/** Reads a text or a list of blocks. Thinking keeps its signature; redacted thinking has no place in our events. */
export function readAnthropicContent(content: unknown): AnthropicContent {
  const read: AnthropicContent = { parts: [], calls: [], results: [], left: [] };
  if (content === null || content === undefined) return read;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  for (const given of blocks) {
    if (typeof given === 'string') addText(read, given);
    else readBlock(read, objectOf(given));
  }
  return read;
}

function readBlock(read: AnthropicContent, block: Block | undefined): void {
  if (block === undefined) {
    read.left.push('a content block must be a text or an object');
    return;
  }
  switch (block.type) {
    case 'text':
      addText(read, block.text);
      return;
    case 'thinking':
      addThinking(read, block);
      return;
    case 'redacted_thinking':
      // sent back as thinking with a signature it would be refused; without it the turn stays valid
      read.left.push('redacted thinking is not kept: events have no place for it');
      return;
    case 'image':
      addImage(read, objectOf(block.source));
      return;
    case 'document':
      addDocument(read, objectOf(block.source));
      return;
    case 'tool_use':
      read.calls.push(block);
      return;
    case 'tool_result':
      read.results.push(block);
      return;
    case undefined:
      // a tool's result as bare JSON
      addText(read, writeJson(block));
      return;
    default:
      read.left.push(`content block ${JSON.stringify(block.type)} is not kept`);
  }
}

function addText(read: AnthropicContent, text: unknown): void {
  if (typeof text !== 'string') read.left.push('a text block without text');
  else if (text !== '') read.parts.push({ type: 'text', text });
}

function addThinking(read: AnthropicContent, block: Block): void {
  if (typeof block.thinking !== 'string') {
    read.left.push('a thinking block without its text');
    return;
  }
  const signature = textOf(block.signature);
  read.parts.push({ type: 'thinking', text: block.thinking, ...(signature ? { signature } : {}) });
}

function addImage(read: AnthropicContent, source: Block | undefined): void {
  const data = textOf(source?.data);
  const url = textOf(source?.url);
  const mime = textOf(source?.media_type);
  if (source?.type === 'base64' && data !== undefined) {
    read.parts.push({ type: 'image', ...(mime ? { mime } : {}), data });
  } else if (source?.type === 'url' && url !== undefined) {
    read.parts.push({ type: 'image', url });
  } else {
    read.left.push(`an image of source ${JSON.stringify(source?.type ?? null)} is not kept`);
  }
}

function addDocument(read: AnthropicContent, source: Block | undefined): void {
  if (source?.type === 'text' && typeof source.data === 'string') addText(read, source.data);
  else read.left.push(`a document of source ${JSON.stringify(source?.type ?? null)} is not kept`);
}
