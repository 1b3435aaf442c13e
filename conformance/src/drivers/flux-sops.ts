import type { Check } from './flux-case.ts';

export const sopsChecks: Readonly<Record<string, Check>> = {};
