// The frame around the views: the program and the navigation.
import type {ComponentType} from "preact";
import {useEffect, useRef} from "preact/hooks";
import type {Report} from "./data";
import {FindingsView} from "./findings";
import {FlameView} from "./flame";
import {flameKinds} from "./flamedata";
import {grouped} from "./format";
import {KernelsView} from "./kernels";
import {MemoryView} from "./memory";
import {OverviewView} from "./overview";
import {ReportProvider} from "./parts";
import {ProcessesView} from "./processes";
import {link, useRoute, type Route} from "./route";
import {RunView} from "./run";
import {SourceView} from "./source";
import {TimelineView} from "./timeline";
import {setTheme, useTheme, type Theme} from "./theme";

interface View {
  name: string;
  title: string;
  shows: ComponentType<{route: Route}>;
  count?: (report: Report) => number;
  /** Returns whether the navigation lists the view. */
  listed?: (report: Report) => boolean;
}

const views: View[] = [
  {name: "overview", title: "Overview", shows: OverviewView},
  {name: "findings", title: "Findings", shows: FindingsView, count: r => r.summary.findings.length},
  {name: "processes", title: "Processes", shows: ProcessesView,
   count: r => r.summary.processes?.list.length ?? 0, listed: r => r.summary.processes !== null},
  {name: "memory", title: "Memory", shows: MemoryView,
   listed: r => r.summary.objects.some(o => o.kernel === null)},
  {name: "kernels", title: "Kernels", shows: KernelsView, count: r => r.summary.kernels.length},
  {name: "timeline", title: "Timeline", shows: TimelineView},
  {name: "flame", title: "Flame graph", shows: FlameView, listed: r => flameKinds(r.summary).length !== 0},
  {name: "source", title: "Source", shows: SourceView, listed: r => r.sources.size !== 0},
  {name: "run", title: "Run", shows: RunView},
];

function ThemeChoice() {
  const [theme] = useTheme();
  return (
    <label class="theme"><span>Colours</span>{" "}
      <select value={theme} onChange={event => setTheme(event.currentTarget.value as Theme)}>
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

export function App({report}: {report: Report}) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const navigation = useRef<HTMLElement>(null);
  const shown = useRef(route.view);
  const view = views.find(each => each.name === route.view) ?? views[0]!;
  const command = report.summary.run.command.join(" ");

  useEffect(() => {
    document.title = `${view.title} \u2013 ${command} \u2013 GMProf`;
    // Screen readers continue at the heading of the view.
    if (shown.current !== view.name) {
      main.current?.querySelector<HTMLElement>("h2")?.focus({preventScroll: true});
      scrollTo(0, 0);
    }
    shown.current = view.name;
    navigation.current?.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "center"});
  }, [view.name]);

  return (
    <ReportProvider value={report}>
      <header class="top">
        <a class="skip" href="#main" onClick={event => {
          event.preventDefault();
          main.current?.focus();
        }}>Skip to the content</a>
        <h1><span class="brand">GMProf</span> <span class="mono" title={command}>{command}</span></h1>
        <nav aria-label="Views" ref={navigation}>
          {views.filter(each => each.listed?.(report) ?? true).map(each => (
            <a href={link(each.name)} aria-current={each === view ? "page" : undefined}>
              {each.title}{each.count && <span class="count">{grouped(each.count(report))}</span>}
            </a>
          ))}
        </nav>
        <ThemeChoice />
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <view.shows route={route} />
      </main>
    </ReportProvider>
  );
}
