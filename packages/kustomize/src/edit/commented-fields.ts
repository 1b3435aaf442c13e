import type { Kustomization } from '../config/kustomization.ts';
import { fieldOfLine } from './field-order.ts';

/** A top-level field of the file, and what stood before and in it of comments and empty lines. */
export interface CommentedField {
  readonly field: keyof Kustomization;
  comment: string;
}

/**
 * The fields of a kustomization file in their order, with their comments. As the original does, it
 * goes by lines: a comment in the middle of a field moves before it, one after the last line goes,
 * and a field is known by its name at the start of a line that has an end.
 */
export function commentedFields(text: string): CommentedField[] {
  const fields: CommentedField[] = [];
  let pending = '';
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end < 0) return fields;
    const line = text.slice(start, end + 1);
    start = end + 1;
    if (isCommentOrEmpty(line)) {
      pending += line;
      continue;
    }
    const field = fieldOfLine(line);
    const last = fields.at(-1);
    if (field !== undefined) fields.push({ field, comment: pending });
    else if (last !== undefined) last.comment += pending;
    else continue;
    pending = '';
  }
}

function isCommentOrEmpty(line: string): boolean {
  const text = line.replace(/^ +/, '');
  return text === '\n' || text.startsWith('#');
}
