/** Whether the indexes of a cluster have what its tables have. */

import { storageCheckWith } from '../storage-check.ts';

/** amcheck would see the node's own tables only. */
export const clusterStorage = storageCheckWith(async () => undefined);
