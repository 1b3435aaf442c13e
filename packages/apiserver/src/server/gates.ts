import type { Authorizer } from '../access/authorizer.ts';
import type { RbacAuthorizer } from '../access/rbac-authorizer.ts';
import { EscalationCheck } from '../admission/escalation.ts';
import { LimitRanger } from '../admission/limit-ranger.ts';
import { MutatingPolicyAdmission } from '../admission/mutating-policy-admission.ts';
import { NamespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { ParameterCheck } from '../admission/parameter-check.ts';
import { PodSecurity } from '../admission/pod-security.ts';
import { PolicyAdmission } from '../admission/policy-admission.ts';
import { QuotaAdmission } from '../admission/quota-admission.ts';
import { SigningCheck } from '../admission/signing-check.ts';
import { WebhookAdmission } from '../admission/webhook-admission.ts';
import { type Admission, AdmissionChain } from '../core/admission.ts';
import type { Core } from '../core/core.ts';

/** What judges rights, and the roles in it where there are any. */
interface Judges {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
}

/** A gate under the names by which Kubernetes turns it off. */
interface NamedGate {
  readonly gate: Admission;
  /** The plugin that changes objects, and the one that judges them; often one and the same. */
  readonly mutating?: string;
  readonly validating?: string;
}

/** All gates before the store that are not turned off, in their order. */
export function admissionGates(core: Core, { authorizer, rbac }: Judges): AdmissionChain {
  const both = (name: string, gate: Admission): NamedGate => ({
    gate,
    mutating: name,
    validating: name,
  });
  const webhooks = new WebhookAdmission(core, authorizer);
  const named: readonly NamedGate[] = [
    both('NamespaceLifecycle', new NamespaceLifecycle(core.store)),
    both('LimitRanger', new LimitRanger(core.store)),
    // Policies before webhooks, those that change as well as those that judge.
    both('MutatingAdmissionPolicy', new MutatingPolicyAdmission(core, authorizer)),
    both('ValidatingAdmissionPolicy', new PolicyAdmission(core, authorizer)),
    {
      gate: webhooks,
      mutating: 'MutatingAdmissionWebhook',
      validating: 'ValidatingAdmissionWebhook',
    },
    // After all that change an object: what they put in is given by the same user.
    ...(authorizer === rbac
      ? [{ gate: new EscalationCheck(rbac) }, { gate: new ParameterCheck(core) }]
      : []),
    both('PodSecurity', new PodSecurity(core.store)),
    both('CertificateSigning', new SigningCheck(authorizer)),
    // Last, so that nothing is charged for what another gate refuses.
    both('ResourceQuota', new QuotaAdmission(core.store)),
  ];
  return new AdmissionChain(named.map((each) => withoutDisabled(each, core)));
}

function withoutDisabled({ gate, mutating, validating }: NamedGate, core: Core): Admission {
  const { disabledPlugins } = core.settings;
  const isOff = (name: string | undefined) => name !== undefined && disabledPlugins.has(name);
  return {
    mutate: async (attributes) => {
      if (!isOff(mutating)) await gate.mutate(attributes);
    },
    validate: async (attributes) => {
      if (!isOff(validating)) await gate.validate(attributes);
    },
  };
}
