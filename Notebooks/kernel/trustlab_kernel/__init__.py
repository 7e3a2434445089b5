"""A Jupyter kernel whose cells are the commands of TrustLab's shell."""

__version__ = "1.0.0"
