import type { CutInput } from './rendition.js';
import type { Rule } from './rule.js';
import { type ContentType, rules } from './rules.js';

/**
 * What a text is: by a hint in the tool's name, then by the declared type, then by its content. A hint
 * counts only when the text can be of that type, so a fetch tool that answers with JSON is JSON.
 */
export function detectContentType(input: CutInput): ContentType {
  const { text } = input;
  const known = input.type == null ? undefined : rules.find((rule) => rule.type === input.type);
  if (known?.accepts(text)) return known.type;
  for (const rule of [byTool(input.tool), byDeclaration(input.declaredType)]) {
    if (rule !== undefined && rule.type !== 'text' && rule.accepts(text)) return rule.type;
  }
  return rules.find((rule) => rule.detects(text, input.isError === true))?.type ?? 'text';
}

function byTool(tool: string | null | undefined): Rule<ContentType> | undefined {
  return tool ? rules.find((rule) => rule.tools?.test(tool.slice(0, 200))) : undefined;
}

function byDeclaration(declared: string | null | undefined): Rule<ContentType> | undefined {
  const mime = declared?.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase();
  if (!mime) return undefined;
  // RFC 6839: the suffix says what the form is where the name before it is unknown.
  const suffix = mime.slice(mime.lastIndexOf('+') + 1);
  return (
    rules.find((rule) => rule.type === mime || rule.mimes.includes(mime)) ??
    rules.find((rule) => mime.includes('+') && rule.type === suffix)
  );
}
