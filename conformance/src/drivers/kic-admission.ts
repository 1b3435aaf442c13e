import { ObjectStore, schemaValidator, validateObject } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import type { ConformanceCase } from '../driver.ts';
import { fail, pass } from '../driver.ts';
import { difference } from './kic-compare.ts';

/** A Secret that is to be admitted or not, with the message. */
export interface AdmissionCase {
  readonly id: string;
  readonly scheme: 'legacy' | 'modern';
  readonly secret: KubeObject & { data?: Record<string, string> };
  readonly expect: { readonly allowed: boolean; readonly message: string };
}

export function admissionCase({ id, scheme, secret, expect }: AdmissionCase): ConformanceCase {
  return {
    id,
    feature: 'admission',
    run: async () => {
      const { isAllowed, message } = await validateObject(
        { uid: id, operation: 'CREATE', object: { apiVersion: 'v1', kind: 'Secret', ...secret } },
        {
          reader: new ObjectStore(),
          options: { naming: scheme },
          ingressClass: 'kong',
          entities: schemaValidator('traditional_compatible'),
        },
      );
      const found = difference(expect, { allowed: isAllowed, message });
      return found === undefined ? pass : fail(found);
    },
  };
}
