// Unpacks the page's own script, which is longer than all else of a small page, and runs it.
(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("code").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  document.body.append(Object.assign(document.createElement("script"), { textContent: await new Response(stream).text() }));
})().catch((error) => { document.getElementById("views").textContent = `This page cannot be shown: ${error}`; });
