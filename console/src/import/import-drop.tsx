/** Lets people drop files anywhere on a page, to import them into the resource that it shows. */

import { useEffect, useState } from 'react';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { useChooseFile } from './use-choose-file.ts';
import './import-drop.css';

export default function ImportDrop() {
  const { resource } = useView().view;
  const choose = useChooseFile(resource);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const { files = [], items = [] } = event.dataTransfer ?? {};
      // Only now: what was dropped cannot be asked later.
      const folders = [...items].flatMap((item) => {
        const entry = item.webkitGetAsEntry();
        return entry?.isDirectory ? entry.name : [];
      });
      void choose([...files], folders);
    };
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener('dragenter', enter, { signal });
    document.addEventListener('dragover', enter, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => controller.abort();
  }, [choose]);
  if (!isOver) return null;
  return (
    <div className="import-drop">
      <p>
        <Icon name="upload" />
        Drop the file to import {resource.plural}
      </p>
    </div>
  );
}

/** Not text, and not columns that somebody moves. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
