import { definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly status_code: number;
  readonly location: string;
  readonly keep_incoming_path: boolean;
}

/** Sends clients elsewhere. */
export const redirect = definePlugin<Config>({
  name: 'redirect',
  priority: 779,
  access(context, config) {
    let { location } = config;
    if (config.keep_incoming_path) {
      const base = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]+)/i.exec(location)?.[1];
      location = base === undefined ? location : base + context.target;
    }
    context.exit(config.status_code, 'redirecting', { Location: location });
  },
});
