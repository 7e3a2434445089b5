import URLLoading

typealias ATS = AppTransportSecurity
