/** Leads to the list of imports, and shows how far an upload is, whatever else is shown. */

import { Link } from 'wouter';
import { formatPercent } from '../format/values.ts';
import { useImportState } from '../import/import-state.tsx';
import { IMPORTS } from '../view/page.ts';
import { usePage } from '../view/use-page.ts';

export function ImportsLink() {
  const page = usePage();
  const [state] = useImportState();
  const upload =
    state.kind === 'chosen' && state.run?.kind === 'uploading' ? state.run.sent / state.file.size : undefined;
  return (
    <Link
      className="header-resource header-imports"
      href={IMPORTS}
      aria-current={page === 'imports' ? 'page' : undefined}
    >
      Imports{upload !== undefined && ` ${formatPercent(upload)}`}
    </Link>
  );
}
