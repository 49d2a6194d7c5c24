/**
 * `npm pack` runs this: writes the software bill of materials of the package, in the format CycloneDX, to `sbom.json`.
 *
 * It lists what npm installs with the package, what is bundled in the console, and what is bundled in the copy of Scalar in `assets/`.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

interface Component {
  /** As npm refers to packages: `pg@8.23.1`. */
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly scope: 'required' | 'optional';
  readonly purl: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface Bill {
  metadata: { component: { readonly 'bom-ref': string; name: string } };
  components: readonly Component[];
  dependencies: readonly Dependency[];
}

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

function main(): void {
  const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  const bill: Bill = JSON.parse(printed);
  const { name, dependencies }: Manifest = JSON.parse(read('package.json'));
  const product = bill.metadata.component;
  // npm takes the name of the directory.
  product.name = name;

  const known = new Map(bill.components.map((component) => [component['bom-ref'], component]));
  const direct = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  const installed = reachable(direct, bill.dependencies);
  const { scalar, contents } = inScalar();
  const components = new Map<string, Component>();
  // What is both installed and bundled is listed once, as what is installed.
  for (const component of [...inConsole().map((ref) => bundled(find(ref, known))), scalar, ...contents])
    components.set(component['bom-ref'], component);
  for (const ref of installed) components.set(ref, find(ref, known));

  const dependsOn = new Map<string, readonly string[]>(bill.dependencies.map((one) => [one.ref, one.dependsOn]));
  dependsOn.set(product['bom-ref'], [...direct, ...inConsole(), scalar['bom-ref']]);
  dependsOn.set(
    scalar['bom-ref'],
    contents.map((component) => component['bom-ref']),
  );
  bill.components = [...components.values()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  bill.dependencies = [product['bom-ref'], ...components.keys()].map((ref) => ({
    ref,
    dependsOn: [...new Set(dependsOn.get(ref))].filter((one) => components.has(one)),
  }));
  writeFileSync(`${ROOT}sbom.json`, `${JSON.stringify(bill, null, 2)}\n`);
}

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** npm's own option to omit development dependencies also omits what the package has in common with them. */
function reachable(from: readonly string[], dependencies: readonly Dependency[]): ReadonlySet<string> {
  const next = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const found = new Set(from);
  // A set also visits what is added meanwhile.
  for (const ref of found) for (const one of next.get(ref) ?? []) found.add(one);
  return found;
}

/** The headings of what Vite writes: `## react - 19.3.1 (MIT)`. */
function inConsole(): readonly string[] {
  const headings = read('dist/console/licenses.md').matchAll(/^## (\S+) - (\S+) \(/gm);
  const refs = [...headings].map(([, name, version]) => `${name}@${version}`);
  if (refs.length === 0) throw new Error('dist/console/licenses.md lists no packages');
  return refs;
}

interface ScalarSource {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  readonly contents: readonly string[];
}

function inScalar(): { readonly scalar: Component; readonly contents: readonly Component[] } {
  const source: ScalarSource = JSON.parse(read('assets/scalar/source.json'));
  const content = Buffer.from(source.integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    scalar: { ...component(`${source.package}@${source.version}`), hashes: [{ alg: 'SHA-512', content }] },
    contents: source.contents.map(component),
  };
}

function component(ref: string): Component {
  const at = ref.lastIndexOf('@');
  const [name, version] = [ref.slice(0, at), ref.slice(at + 1)];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return bundled({ 'bom-ref': ref, type: 'library', name, version, scope: 'required', purl, properties: [] });
}

/** From the taxonomy of CycloneDX. */
function bundled(component: Component): Component {
  return { ...component, scope: 'required', properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] };
}

function find(ref: string, known: ReadonlyMap<string, Component>): Component {
  const component = known.get(ref);
  if (component === undefined) throw new Error(`${ref} is not in package-lock.json`);
  return component;
}

main();
