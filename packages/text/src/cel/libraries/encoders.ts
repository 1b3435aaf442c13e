import { type CelLibrary, overload } from '../declaration.ts';
import { bytesType, stringType } from '../types/type.ts';
import { CelFailure } from '../values/value.ts';

/** `base64.encode` and `base64.decode`, which Flux' expressions have and Kubernetes' do not. */
export const encoders: CelLibrary = {
  functions: {
    'base64.encode': [
      overload('base64_encode_bytes', [bytesType], stringType, (bytes) =>
        Buffer.from(bytes as Uint8Array).toString('base64'),
      ),
    ],
    'base64.decode': [
      overload('base64_decode_string', [stringType], bytesType, (value) => {
        const text = (value as string).replaceAll(/[\r\n]/g, '');
        const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={0,2}$/, ''));
        if (bad !== null || text.replace(/=+$/, '').length % 4 === 1) {
          return new CelFailure(`illegal base64 data at input byte ${bad?.index ?? text.length}`);
        }
        return new Uint8Array(Buffer.from(text, 'base64'));
      }),
    ],
  },
};
