import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The page's own colours; a shadow root inherits custom properties. */
const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--ink)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0' },
  '.cm-gutters': { backgroundColor: 'transparent', border: '0', color: 'var(--ink-soft)' },
  '.cm-changedLine': { backgroundColor: 'var(--add-soft) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--take-soft) !important', paddingLeft: '6px' },
  '.cm-changedText, .cm-deletedText': { background: 'none !important' },
  '.cm-insertedLine .cm-changedText, .cm-changedLine .cm-changedText': {
    background: 'color-mix(in srgb, var(--good) 26%, transparent) !important',
  },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 26%, transparent) !important',
  },
  '.cm-collapsedLines': {
    background: 'var(--sunk) !important',
    color: 'var(--ink-soft)',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
  },
  // Its own signs are in few fonts.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯" !important' },
  '.cm-changeGutter': { width: '3px', paddingLeft: '0' },
  '.cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-deletedLineGutter': { background: 'var(--bad)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-note)' },
]);

function open(
  parent: HTMLElement,
  label: string,
  text: string,
  more: readonly Extension[],
): EditorView {
  // The Content-Security-Policy refuses style elements, which a document would get.
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text.replace(/\n$/, ''),
      extensions: [
        EditorView.editable.of(false),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        lineNumbers(),
        yaml(),
        syntaxHighlighting(colours),
        theme,
        ...more,
      ],
    }),
  });
}

export function openText(parent: HTMLElement, label: string, text: string): EditorView {
  return open(parent, label, text, []);
}

/** What is new, with what was taken out between its lines. */
export function openDiff(
  parent: HTMLElement,
  label: string,
  before: string,
  after: string,
): EditorView {
  return open(parent, label, after, [
    unifiedMergeView({
      original: before.replace(/\n$/, ''),
      mergeControls: false,
      gutter: true,
      collapseUnchanged: { margin: 3, minSize: 6 },
    }),
  ]);
}
