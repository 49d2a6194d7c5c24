/** An error in place of the data, with a way to try again. */

import { describeError } from '../data/describe-error.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

export interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const { title, detail, icon, requestId } = describeError(error);
  return (
    <Notice title={title} icon={icon} tone="danger" actions={<Button onPress={onRetry}>Try again</Button>}>
      <p>{detail}</p>
      {requestId && (
        <p>
          Request <code>{requestId}</code>
        </p>
      )}
    </Notice>
  );
}
