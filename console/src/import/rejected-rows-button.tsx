/** Downloads the rows that would be rejected, to correct and import them. */

import { useMutation } from '@tanstack/react-query';
import { describeError } from '../data/describe-error.ts';
import { openTarget } from '../export/file-target.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { FileFormat } from './file-formats.ts';
import { type FileImport, saveRejectedRows } from './import-requests.ts';

export interface RejectedRowsButtonProps {
  readonly request: FileImport;
  readonly format: NonNullable<FileFormat['rejects']>;
}

export function RejectedRowsButton({ request, format }: RejectedRowsButtonProps) {
  const { mutate, isPending, error, data } = useMutation({
    networkMode: 'always',
    mutationFn: async () => {
      const { mediaType, extension } = format;
      const name = `${request.file.name.replace(/\..*$/, '')}-rejected.${extension}`;
      const target = await openTarget(name, mediaType);
      return target === undefined ? undefined : saveRejectedRows(request, mediaType, target);
    },
  });
  return (
    <>
      <Button onPress={() => !isPending && mutate()}>
        <Icon name="download" />
        {isPending ? 'Downloading…' : 'Download the rejected rows'}
      </Button>
      {error !== null && (
        <p className="row-errors-fix" role="alert">
          {describeError(error).title}. {describeError(error).detail}
        </p>
      )}
      {data === false && <p role="status">No row would be rejected any more.</p>}
    </>
  );
}
