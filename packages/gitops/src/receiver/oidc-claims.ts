import { compileExpression, ExpressionBudget } from '@waygate/apply';
import type { TokenClaims } from '@waygate/text';
import type { OidcProvider, ReceiverSpec } from '../api/notification-objects.ts';
import { messageOf } from '../gitops-error.ts';

/** Why a spec cannot be served; no retry mends it. */
export interface SpecProblem {
  readonly reason: 'ValidationFailed' | 'InvalidCELExpression';
  readonly message: string;
}

/** What is wrong with who may sign, which an API server may not have looked at. */
export function oidcProblem({
  type,
  secretRef,
  oidcProviders = [],
}: ReceiverSpec): SpecProblem | undefined {
  const invalid = (message: string): SpecProblem => ({ reason: 'ValidationFailed', message });
  const isOidc = type === 'generic-oidc';
  if (isOidc && oidcProviders.length === 0)
    return invalid('receivers of type generic-oidc need at least one of spec.oidcProviders');
  if (!isOidc && oidcProviders.length > 0)
    return invalid('spec.oidcProviders is for receivers of type generic-oidc');
  if (isOidc && secretRef !== undefined)
    return invalid('spec.secretRef is not for receivers of type generic-oidc');
  if (!isOidc && secretRef === undefined) return invalid('spec.secretRef is missing');
  const issuers = new Set<string>();
  for (const [index, provider] of oidcProviders.entries()) {
    const place = `spec.oidcProviders[${index}]`;
    const missing = missingOf(provider);
    if (missing !== undefined) return invalid(`${place}.${missing}`);
    if (issuers.has(provider.issuerURL)) return invalid(`${place}.issuerURL is there twice`);
    issuers.add(provider.issuerURL);
    const broken = brokenExpression(provider);
    if (broken !== undefined)
      return { reason: 'InvalidCELExpression', message: `${place}.${broken}` };
  }
  return undefined;
}

function missingOf({
  issuerURL = '',
  validations = [],
  variables = [],
}: OidcProvider): string | undefined {
  if (!/^https?:\/\//.test(issuerURL) || !URL.canParse(issuerURL))
    return 'issuerURL is no http or https address';
  if (validations.length === 0)
    return 'validations is empty: everybody with a token of this issuer could post';
  const variable = variables.findIndex(({ name, expression }) => !name || !expression);
  if (variable >= 0) return `variables[${variable}] needs a name and an expression`;
  const validation = validations.findIndex(({ expression, message }) => !expression || !message);
  return validation < 0
    ? undefined
    : `validations[${validation}] needs an expression and a message`;
}

function brokenExpression({ variables = [], validations }: OidcProvider): string | undefined {
  for (const [list, items] of Object.entries({ variables, validations })) {
    for (const [index, { expression }] of items.entries()) {
      try {
        compileExpression(expression);
      } catch (error) {
        return `${list}[${index}]: ${messageOf(error)}`;
      }
    }
  }
  return undefined;
}

/** Why claims are not what a provider must say; all that does not hold is named. */
export function claimsRefusal(provider: OidcProvider, claims: TokenClaims): string | undefined {
  const vars: Record<string, unknown> = Object.create(null);
  const budget = new ExpressionBudget();
  const failed: string[] = [];
  try {
    for (const { name, expression } of provider.variables ?? [])
      vars[name] = compileExpression(expression).value({ claims, vars }, budget);
    for (const { expression, message } of provider.validations)
      if (!compileExpression(expression).evaluate({ claims, vars }, budget)) failed.push(message);
  } catch (error) {
    return `the token is refused: ${messageOf(error)}`;
  }
  return failed.length === 0 ? undefined : `the token is refused: ${failed.join('; ')}`;
}
