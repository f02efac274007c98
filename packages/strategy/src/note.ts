/**
 * A text that is sent near the end of a context, before the newest unit, since it changes from call to call: the
 * working state, what was recalled. Behind it nothing is stable; before it everything may be.
 */
export interface Note {
  kind: 'note';
  title: 'state' | 'recalled';
  text: string;
  /** As sent, role and separators included. */
  tokens: number;
}
