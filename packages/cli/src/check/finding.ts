/** What one check found. A warning does not stop a controller; a failure does. */
export interface Finding {
  /** What the check was about: `cluster`, `rights`, `kong`… */
  readonly area: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

const marks = { ok: '✔', warning: '!', failed: '✘' } as const;

/** The findings by area, in the order in which they came, and what to make of them. */
export function reportOf(findings: readonly Finding[]): string {
  const lines: string[] = [];
  const areas = new Set(findings.map(({ area }) => area));
  for (const area of areas) {
    lines.push(area);
    for (const { state, message, hint } of findings.filter((finding) => finding.area === area)) {
      lines.push(`  ${marks[state]} ${message}`);
      if (hint !== undefined) lines.push(`    ${hint}`);
    }
  }
  const failed = findings.filter(({ state }) => state === 'failed').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  lines.push('', conclusionOf(failed, warnings));
  return lines.join('\n');
}

function conclusionOf(failed: number, warnings: number): string {
  const noted = warnings === 0 ? '' : `, ${warnings} to look at`;
  if (failed > 0) return `Not fit: ${failed} failed${noted}.`;
  return `Fit to run on${noted}.`;
}
