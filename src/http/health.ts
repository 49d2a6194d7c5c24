/** What a balancer or supervisor asks: whether the process lives, and whether it can answer. Neither needs a key. */

import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';
import { jsonReply } from '../reply/reply.ts';
import { takeNothingButGet } from './methods.ts';
import { send } from './send.ts';

export const HEALTH_PATHS = { live: '/health/live', ready: '/health/ready' } as const;

export function addHealth(service: FastifyInstance, app: App): void {
  const ok = jsonReply(200, { 'cache-control': 'no-store' }, '{"status":"ok"}');
  service.get(HEALTH_PATHS.live, (_request, reply) => send(reply, ok));
  service.get(HEALTH_PATHS.ready, async (_request, reply) => {
    await app.checkStore();
    send(reply, ok);
  });
  for (const path of Object.values(HEALTH_PATHS)) takeNothingButGet(service, path);
}
