/** `npm pack` runs this: writes the software bill of materials of the package, in the format CycloneDX, to `sbom.json`. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

interface Bill {
  metadata: { component: { name: string } };
  components: readonly { readonly 'bom-ref': string }[];
  dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

// npm's own option to omit development dependencies also omits those of the package that a development dependency has in common with it.
const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
});
const bill: Bill = JSON.parse(printed);
const installed = installedPackages();
bill.components = bill.components.filter((component) => installed.has(component['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => installed.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => installed.has(one)) }));
// npm takes the name of the directory.
bill.metadata.component.name = 'stockbook';
writeFileSync(`${ROOT}sbom.json`, `${JSON.stringify(bill, null, 2)}\n`);

/** As npm refers to them: `pg@8.23.1`. */
function installedPackages(): ReadonlySet<string> {
  const lock: {
    readonly name: string;
    readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
  } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8'));
  return new Set(
    Object.entries(lock.packages)
      .filter(([, { dev = false }]) => !dev)
      .map(([path, { version }]) => `${path === '' ? lock.name : path.replace(/^.*node_modules\//, '')}@${version}`),
  );
}
