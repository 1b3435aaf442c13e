import type { ChangeRow } from '../../../src/protocol/changes.ts';
import type { FlowNode } from '../../../src/protocol/flow.ts';
import type { ProblemRow } from '../../../src/protocol/problems.ts';
import type { Health } from '../../../src/protocol/reference.ts';
import type { RouteRow } from '../../../src/protocol/routes.ts';
import { shownPaths } from '../../../src/view/route-paths.ts';
import type { IconName } from '../parts/icon-name.ts';
import { changeAddress, commitAddress, objectAddress } from '../place/addresses.ts';
import type { ListedPage } from './page-list.ts';

/** Something to go to. */
export interface Finding {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly address: string;
  readonly icon: IconName;
  readonly health?: Health;
}

export interface Searched {
  readonly pages: readonly ListedPage[];
  readonly routes: readonly RouteRow[];
  readonly flow: readonly FlowNode[];
  readonly problems: readonly ProblemRow[];
  readonly changes: readonly ChangeRow[];
}

const mostOfOneKind = 12;

/** Pages first, then what has all the words, at most a dozen of each kind. A URL can be traced at once. */
export function findEverywhere(typed: string, searched: Searched): Finding[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Finding[] = [];
  if (/^(https?:\/\/|curl\s)/.test(typed.trim())) found.push(traceOf(typed.trim()));
  for (const page of searched.pages)
    if (hasAll(page.title, words))
      found.push({
        key: page.path,
        title: page.title,
        detail: `g ${page.letter}`,
        address: page.path,
        icon: page.icon,
      });
  if (words.length === 0) return found;
  found.push(...first(searched.routes, words, routeText, routeFinding));
  found.push(...first(searched.flow, words, nodeText, nodeFinding));
  found.push(...first(searched.problems, words, problemText, problemFinding));
  found.push(...first(searched.changes, words, changeText, changeFinding));
  const [word] = words;
  if (words.length === 1 && word !== undefined && /^[0-9a-f]{7,64}$/.test(word)) {
    const commit = searched.changes.find(({ origin }) => origin?.commit?.startsWith(word));
    if (commit?.origin?.commit) found.push(commitFinding(commit.origin.commit));
  }
  return found;
}

function first<Row>(
  rows: readonly Row[],
  words: readonly string[],
  textOf: (row: Row) => string,
  finding: (row: Row) => Finding | undefined,
): Finding[] {
  const found: Finding[] = [];
  for (const row of rows) {
    if (found.length === mostOfOneKind) break;
    if (!hasAll(textOf(row), words)) continue;
    const one = finding(row);
    if (one) found.push(one);
  }
  return found;
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function routeText(row: RouteRow): string {
  return `${row.hosts.join(' ')} ${row.paths.join(' ')} ${row.name} ${row.expression ?? ''}`;
}

function routeFinding(row: RouteRow): Finding {
  return {
    key: `route:${row.id}`,
    title: `${row.hosts[0] ?? ''}${shownPaths(row.paths)[0] ?? ''}` || row.name,
    detail: `route ${row.name}`,
    address: `/routes?route=${encodeURIComponent(row.id)}`,
    icon: 'routes',
    health: row.health,
  };
}

function nodeText(node: FlowNode): string {
  return `${node.object?.kind ?? node.stage} ${node.namespace ?? ''} ${node.title}`;
}

/** A route or a target has its own row; what is an object has a page. */
function nodeFinding(node: FlowNode): Finding | undefined {
  if (node.stage === 'route') return undefined;
  return {
    key: `node:${node.id}`,
    title: node.title,
    detail: `${node.object?.kind ?? node.stage} ${node.namespace ?? ''}`.trim(),
    address: node.object ? objectAddress(node.object) : `/flow?node=${encodeURIComponent(node.id)}`,
    icon: 'object',
    health: node.health,
  };
}

function problemText(row: ProblemRow): string {
  return `${row.message} ${row.object?.kind ?? ''} ${row.object?.namespace ?? ''} ${row.object?.name ?? ''}`;
}

function problemFinding(row: ProblemRow): Finding {
  return {
    key: `problem:${row.id}`,
    title: row.message,
    detail: row.severity,
    address: `/problems?problem=${encodeURIComponent(row.id)}`,
    icon: 'problems',
  };
}

function changeText(row: ChangeRow): string {
  return `${row.title} ${row.author ?? ''} ${row.origin?.commit ?? ''}`;
}

function changeFinding(row: ChangeRow): Finding {
  return {
    key: `change:${row.id}`,
    title: row.title,
    detail: row.author ?? row.kind,
    address: changeAddress(row.id),
    icon: 'changes',
  };
}

function commitFinding(commit: string): Finding {
  return {
    key: `commit:${commit}`,
    title: commit,
    detail: 'commit',
    address: commitAddress(commit),
    icon: 'fetch',
  };
}

function traceOf(typed: string): Finding {
  return {
    key: 'trace',
    title: `Trace ${typed}`,
    detail: 'where this request goes',
    address: `/trace?url=${encodeURIComponent(typed)}`,
    icon: 'trace',
  };
}
