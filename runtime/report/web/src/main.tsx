import {render} from "preact";
import {App} from "./app";
import {loadReport} from "./data";
import "./page.css";

const root = document.getElementById("app")!;
loadReport().then(report => render(<App report={report} />, root), (error: unknown) => {
  root.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : error}`;
});
