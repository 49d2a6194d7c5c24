/** A button and a drop zone for choosing a file. */

import { FileTrigger } from 'react-aria-components';
import type { Resource } from '../../../src/catalog/resource.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ACCEPTED, READABLE } from './file-formats.ts';
import { useImportState } from './import-state.tsx';
import { useChooseFile } from './use-choose-file.ts';
import './choose-file.css';

export function ChooseFile({ resource }: { readonly resource: Resource }) {
  const [state] = useImportState();
  const reason = state.kind === 'unusable' && state.resource === resource ? state.reason : undefined;
  return (
    <div className="choose-file">
      <Icon name="upload" />
      <p className="choose-file-title">Drop a file with {resource.plural} here</p>
      <p className="choose-file-formats">{READABLE}</p>
      <ChooseFileButton resource={resource} look="primary">
        Choose a file
      </ChooseFileButton>
      {reason !== undefined && (
        <p className="choose-file-problem" role="alert">
          {reason}
        </p>
      )}
      <p className="choose-file-promise">You see what would happen before anything is changed.</p>
    </div>
  );
}

export interface ChooseFileButtonProps {
  readonly resource: Resource;
  readonly look?: 'primary' | 'plain';
  readonly children: string;
}

export function ChooseFileButton({ resource, look = 'plain', children }: ChooseFileButtonProps) {
  const choose = useChooseFile(resource);
  return (
    <FileTrigger acceptedFileTypes={ACCEPTED.split(',')} onSelect={(files) => files && void choose([...files])}>
      <Button look={look}>{children}</Button>
    </FileTrigger>
  );
}
