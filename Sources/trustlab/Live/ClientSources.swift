/// The sources of clients for language runtimes with TLS. Each client connects, and prints the error if it refuses the
/// server.
///
/// The arguments of each client are the roots, the port and the host.
enum ClientSources {
  /// The client for Python's ssl module, which uses OpenSSL with additional rules.
  static let python = """
    import socket, ssl, sys
    context = ssl.create_default_context(cafile=sys.argv[1])
    raw = socket.create_connection(('127.0.0.1', int(sys.argv[2])), timeout=15)
    try:
        context.wrap_socket(raw, server_hostname=sys.argv[3]).close()
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    """

  /// The client for Java's JSSE, which builds and validates paths itself. `javac` compiles the file.
  static let java = """
    import java.io.*;
    import java.net.Socket;
    import java.security.KeyStore;
    import java.security.cert.*;
    import javax.net.ssl.*;

    public class Client {
      public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        try (InputStream file = new FileInputStream(arguments[0])) {
          KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
          roots.load(null, null);
          int number = 0;
          for (Certificate root : CertificateFactory.getInstance("X.509").generateCertificates(file))
            roots.setCertificateEntry("root" + number++, root);
          TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
          factory.init(roots);
          SSLContext context = SSLContext.getInstance("TLS");
          context.init(null, factory.getTrustManagers(), null);
          Socket raw = new Socket("127.0.0.1", port);
          raw.setSoTimeout(15000);
          SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(raw, arguments[2], port, true);
          SSLParameters parameters = socket.getSSLParameters();
          parameters.setEndpointIdentificationAlgorithm("HTTPS");
          socket.setSSLParameters(parameters);
          socket.startHandshake();
          socket.close();
        } catch (Exception error) {
          Throwable cause = error;
          while (cause.getCause() != null) cause = cause.getCause();
          System.err.println(cause.getMessage());
          System.exit(1);
        }
      }
    }
    """

  /// The client for Go's crypto/tls and crypto/x509.
  static let go = """
    package main

    import (
    \t"crypto/tls"
    \t"crypto/x509"
    \t"fmt"
    \t"os"
    )

    func main() {
    \troots := x509.NewCertPool()
    \tpem, err := os.ReadFile(os.Args[1])
    \tif err == nil {
    \t\troots.AppendCertsFromPEM(pem)
    \t\tvar connection *tls.Conn
    \t\tconnection, err = tls.Dial("tcp", "127.0.0.1:"+os.Args[2], &tls.Config{RootCAs: roots, ServerName: os.Args[3]})
    \t\tif err == nil {
    \t\t\tconnection.Close()
    \t\t}
    \t}
    \tif err != nil {
    \t\tfmt.Fprintln(os.Stderr, err)
    \t\tos.Exit(1)
    \t}
    }
    """

  /// The sources that are written to files, by file name.
  static let files = ["Client.java": java, "client.go": go]
}
