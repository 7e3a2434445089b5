/// The pages that pass an input to the engine. Only a server has them.
enum WorkbenchPage: CaseIterable {
  case scenario
  case propertyList
  case chain
  case recording

  init?(path: String) {
    guard let page = Self.allCases.first(where: { $0.path == path }) else { return nil }
    self = page
  }

  var path: String {
    switch self {
    case .scenario: "try/scenario.html"
    case .propertyList: "try/plist.html"
    case .chain: "try/chain.html"
    case .recording: "try/recording.html"
    }
  }

  /// Its name in the navigation.
  var name: String {
    switch self {
    case .scenario: "Change"
    case .propertyList: "Plists"
    case .chain: "Chains"
    case .recording: "Captures"
    }
  }

  private var title: String {
    switch self {
    case .scenario: "Change a scenario"
    case .propertyList: "Check a property list"
    case .chain: "Check a certificate chain"
    case .recording: "Open a capture"
    }
  }

  var page: Page {
    let scripts = ["player.js", "workbench.js"]
    return switch self {
    case .scenario: Page(path: path, title: title, body: Self.scenarioForm, scripts: ["cases.js"] + scripts)
    case .propertyList: Page(path: path, title: title, body: Self.propertyListForm, scripts: scripts)
    case .chain: Page(path: path, title: title, body: Self.chainForm, scripts: scripts)
    case .recording: Page(path: path, title: title, body: Self.recordingForm, scripts: scripts)
    }
  }

  private static let output: HTML = """
    <p id="status" role="status"></p>
    <div id="errors" role="alert"></div>
    <div id="result"></div>
    <section id="player" aria-label="Player"></section>
    <noscript><p>This page needs JavaScript.</p></noscript>
    """

  private static let scenarioForm: HTML = """
    <h1>Change a scenario</h1>
    <p>Choose a scenario and change any line. The engine plays it again, and the page shows each difference from the \
    original. Press <kbd>Ctrl</kbd> <kbd>Space</kbd> to list the words that fit at the cursor.</p>
    <p>Certificates without dates of their own are valid at the clock of the file, so to let one expire, change \
    <code>clock</code> in a case.</p>
    <form id="scenario-form" class="fields">
    <label>Scenario <input name="scenario" list="case-names" autocomplete="off"></label>
    <datalist id="case-names"></datalist>
    <button type="button" id="load">Load</button>
    <label>Case <select name="case"></select></label>
    <label>Historical bug <select name="validator"></select></label>
    </form>
    <div class="editor">
    <label for="file" class="dim">Scenario file</label>
    <textarea id="file" rows="22" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="errors" \
    role="combobox" aria-expanded="false" aria-controls="words" aria-autocomplete="list"></textarea>
    <ul id="words" role="listbox" aria-label="Words that fit here" hidden></ul>
    </div>
    \(output)
    """

  private static let propertyListForm: HTML = """
    <h1>Check a property list</h1>
    <p>Paste an Info.plist, or only its NSAppTransportSecurity dictionary, and the URLs that the app loads. The page \
    shows whether each load is allowed, and which key decides.</p>
    <form id="plist-form" class="stacked">
    <label>Info.plist <textarea name="plist" rows="16" spellcheck="false"></textarea></label>
    <label>Or a file <input type="file" name="file" accept=".plist,.xml,.json"></label>
    <label>URLs, one on each line <textarea name="urls" rows="3" spellcheck="false">https://api.example/</textarea></label>
    <label>Systems, separated by commas <input name="systems" autocomplete="off"></label>
    <button>Check</button>
    </form>
    \(output)
    """

  private static let chainForm: HTML = """
    <h1>Check a certificate chain</h1>
    <p>Paste the server's certificate and its CA certificates in PEM, and the roots that the client trusts. The page \
    shows every path and every finding.</p>
    <form id="chain-form" class="stacked">
    <label>Chain <textarea name="chain" rows="12" spellcheck="false"></textarea></label>
    <label>Or a file <input type="file" name="file" accept=".pem,.crt,.cer,.der"></label>
    <label>Trusted roots <textarea name="roots" rows="6" spellcheck="false"></textarea></label>
    <label>Host <input name="host" placeholder="empty: names are not checked" autocomplete="off"></label>
    <label>Date <input name="at" placeholder="empty: now" autocomplete="off"></label>
    <label>Profile <select name="profile"></select></label>
    <label>System <input name="os" autocomplete="off"></label>
    <label>Historical bug <select name="validator"></select></label>
    <button>Check</button>
    </form>
    \(output)
    """

  private static let recordingForm: HTML = """
    <h1>Open a capture</h1>
    <p>Choose a capture (.pcap or .pcapng) or a JSON recording, and its key log if there is one. Drop the files \
    anywhere on this page. They stay on this machine.</p>
    <form id="recording-form" class="stacked">
    <label>Capture <input type="file" name="capture"></label>
    <label>Key log <input type="file" name="keylog"></label>
    <label>Server key in PEM <input type="file" name="key"></label>
    <button>Open</button>
    </form>
    <label>Session <select id="sessions" disabled></select></label>
    \(output)
    """
}
