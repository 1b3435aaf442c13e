import { definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
  readonly hide_groups_header: boolean;
}

/** Lets in, or keeps out, consumers by their groups. */
export const acl = definePlugin<Config>({
  name: 'acl',
  priority: 950,
  access(context, config) {
    const { consumer, credential } = context;
    if (consumer?.id === undefined) {
      if (credential === undefined) {
        context.fail(401, 'Unauthorized');
      } else {
        context.fail(403, 'You cannot consume this service');
      }
      return;
    }
    const groups = context.snapshot.consumers
      .credentialsOf('acls', consumer.id)
      .map((entry) => String(entry.group));
    const isIn = (list: readonly string[]) => groups.some((group) => list.includes(group));
    const isDenied = config.deny !== null && config.deny.length > 0 && isIn(config.deny);
    const isAllowed = config.allow === null || config.allow.length === 0 || isIn(config.allow);
    if (isDenied || !isAllowed) {
      context.fail(403, 'You cannot consume this service');
      return;
    }
    if (!config.hide_groups_header) {
      context.upstream?.headers.set('X-Consumer-Groups', groups.join(', '));
    }
  },
});
